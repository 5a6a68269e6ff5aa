"""What games are made of: kinds of event, house rules, actions by name, and what they all do alike."""
