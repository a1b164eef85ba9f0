"""Writing results: files that are whole or not there, cells of tables, HTML pages."""
