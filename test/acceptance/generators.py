"""A turn, a recording and a page by the client that openapi-python-client has generated as chat_api.

Arguments: the address of the service, a token, a WAV file. Prints what came back, as JSON.
"""

import json
import sys
from pathlib import Path

from chat_api import AuthenticatedClient
from chat_api.api.chat import chat_create_turn, chat_page
from chat_api.models import ChatCreateTurnJsonBody, TurnForm
from chat_api.types import File

base_url, token, recording = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=token)

turn = chat_create_turn.sync(
    client=client, body=ChatCreateTurnJsonBody(avatar_id="ada", request="Hello!")
)
with Path(recording).open("rb") as sound:
    file = File(payload=sound, file_name="hello.wav", mime_type="audio/wav")
    spoken = chat_create_turn.sync(
        client=client, body=TurnForm(avatar_id="ada", request="Hello again!", file=file)
    )
page = chat_page.sync(client=client, user_id="user-1")
print(
    json.dumps(
        {
            "answer": turn.incoming.answer,
            "recording": spoken.outgoing.file_url,
            "history": page.payload[0].field_id,
        }
    )
)
