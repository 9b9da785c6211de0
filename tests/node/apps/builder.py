"""Flask-AppBuilder with its own pages about users and roles, and one user: `builder.py FOLDER PORT`."""

import pathlib
import secrets
import sys

from flask import Flask
from flask_appbuilder import AppBuilder
from flask_sqlalchemy import SQLAlchemy

folder, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
app = Flask(__name__)
# Another key with each start: nobody is signed in from before.
app.config.update(SECRET_KEY=secrets.token_hex(), SQLALCHEMY_DATABASE_URI=f"sqlite:///{folder / 'app.db'}")
with app.app_context():
    manager = AppBuilder(app, SQLAlchemy(app).session).sm
    if not manager.find_user("admin"):
        manager.add_user("admin", "Ada", "Admin", "ada@example.org", manager.find_role("Admin"), "correct horse")
app.run(port=port)
