"""Who may connect and how: authentication, limits, connections, certificates, links."""
