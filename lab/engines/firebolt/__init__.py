"""Firebolt: Core in a container, a running Core by its URL, or Firebolt's cloud."""
