"""What people see and fill in: forms, options, guide, questions, sheets, status, marks."""
