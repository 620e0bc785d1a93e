"""Programs that serve, as child processes or containers: started, awaited until ready, and ended with this process."""
