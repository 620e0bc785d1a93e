"""What maintainers run: the gate, the hunt, pages, reproductions, measurements. `python -m tools` lists them."""
