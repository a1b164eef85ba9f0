"""The chatbot of a small pizzeria, written by hand: no model, no clock, no library but PyYAML.

`definition.yaml` has what changes without a programmer: prices, hours, sentences. `menu` holds what
is sold, `understanding` turns a customer's words into what they mention, `ordering` and `booking`
are the two forms that a conversation fills in, `dialogue` decides what is said next, and `http_api`
offers all of it over HTTP, by the server that the examples share (`examples/botkit`). What such a
bot typically gets wrong, and where, is listed in `weak_spots`.
"""
