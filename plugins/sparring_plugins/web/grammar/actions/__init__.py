"""Steps that do something: forms of sentences, and what reads them."""
