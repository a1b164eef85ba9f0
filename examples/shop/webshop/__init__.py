"""A small web shop: pages made on the server, a little JavaScript, and some weak spots."""
