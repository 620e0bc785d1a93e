"""The table `shipping_address` of Hudi's published measurement of partition statistics, in shape and at any scale."""
