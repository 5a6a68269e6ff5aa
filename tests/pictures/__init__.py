"""The pictures of the documentation, drawn and taken anew."""
