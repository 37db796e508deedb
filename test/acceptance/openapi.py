"""What Schemathesis needs to know besides the OpenAPI document. Loaded by openapi.mjs."""

import re

import schemathesis


def sent(case, name):
    """Whether a request named a field, in its query or in its body."""
    body = case.body if isinstance(case.body, dict) else {}
    return name in (case.query or {}) or name in body


# Refusals of requests that fit the document, for rules that a schema cannot state: by operation and error code, whether
# the request has what the rule is about. The same code for any other reason is a failure.
RULES = {
    # A page is named by its number or by a message, not by both.
    ("GET /chat", "invalid_page"): lambda case: sent(case, "page") and sent(case, "before"),
    # The message must be one of the user's.
    ("GET /chat", "invalid_before"): lambda case: sent(case, "before"),
    # What a project offers is in the database.
    ("POST /chat", "invalid_language_code"): lambda case: sent(case, "language_code"),
    ("GET /speech/greeting", "invalid_language_code"): lambda case: sent(case, "language_code"),
    ("GET /suggestions", "invalid_language_code"): lambda case: sent(case, "language_code"),
    # A key stands for the one request that it first came with.
    ("POST /chat", "idempotency_key_reused"): lambda case: "Idempotency-Key" in (case.headers or {}),
    # The session must be one that the user has opened.
    ("POST /chat", "invalid_session"): lambda case: sent(case, "session"),
    # The avatar is named in the query or in the session of a form, which is a text, and exists or not.
    ("POST /v1/realtime/calls", "invalid_avatar_id"): lambda case: True,
    # Any text is a string, and hardly any a description of a call.
    ("POST /v1/realtime/calls", "invalid_request"): lambda case: True,
    ("POST /v1/realtime/calls", "bad_request"): lambda case: case.media_type == "multipart/form-data",
    # `format: binary` cannot say that the bytes are to be a recording.
    ("POST /chat", "unsupported_media_type"): lambda case: case.media_type == "multipart/form-data",
}


@schemathesis.serializer("application/sdp")
def sdp(ctx, value):
    """The description of a call is a text."""
    return str(value).encode(errors="replace")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Keeps a failure, unless it is one of those above."""
    # A body of a type that no other route takes is refused before the method is.
    if response.status_code == 415 and type(failure).__name__ == "UnsupportedMethodResponse":
        return False
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    rule = RULES.get((case.operation.label, response.json()["error"]))
    return rule is None or not rule(case)


@schemathesis.check
def one_error_body(ctx, response, case):
    """Every answer has a request id, and every refusal the one body, whatever produced it."""
    [request_id] = response.headers.get("x-request-id", [""])
    assert re.fullmatch("[0-9a-f-]{36}", request_id), "There is no X-Request-Id"
    if response.status_code < 400 or response.request.method == "HEAD":
        return
    body = response.json()
    assert list(body) == ["result", "status", "error", "message", "request_id"], f"Not the one body: {body}"
    assert body["result"] == "failure" and body["status"] == response.status_code, f"Not the status: {body}"
    assert body["request_id"] == request_id, "Not the request id of the header"
    assert re.fullmatch("[a-z][a-z0-9_]*", body["error"]), f"Not a code: {body}"
    assert (response.status_code == 403) == (body["error"] == "token_expired"), "403 is for expired tokens"
