"""The extractor that finds declared outputs by patterns and parsers, without a model.

`extractor` looks outputs up, `candidates` ranks what may be a typed value, `text_outputs` finds
texts, `output_form` says what an output looks for, `exchanges` what the app said to what.
"""
