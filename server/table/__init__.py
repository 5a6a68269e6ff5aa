"""What a viewer sees of the table: messages, projection, questions and answers."""
