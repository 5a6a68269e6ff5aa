"""Frothy Races 3.6: races on a hex track with an inside and an outside."""
