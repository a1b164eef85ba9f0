"""What is said goes through air: spoken by a synthesiser, heard by a recogniser."""
