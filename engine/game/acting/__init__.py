"""Acting: what an action says, field by field, and carrying it out as events."""
