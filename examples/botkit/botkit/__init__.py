"""A small engine for chatbots that are data: one YAML file says all that a bot knows and says.

`definition` reads and checks the file, `matching` finds the intent behind a message, `values` reads
days, hours and numbers, `forms` asks for the fields of a form and takes corrections, `dialogue`
decides what is said next, and `http_api` serves it. No model, no clock, and nothing that is not in
the file. The servers of the other examples share `serving`, and `json_api` where they speak JSON.
"""
