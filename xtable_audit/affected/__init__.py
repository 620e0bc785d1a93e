"""Which known findings a source table meets or may meet when XTable translates it. Reads metadata; never writes."""
