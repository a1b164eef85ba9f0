"""Tea Garden: somebody else's skill, which the user has enabled as well."""


def lambda_handler(event, context):
    text = "Welcome to Tea Garden, the sound of rain on leaves. Sleep well, goodbye."
    speech = {"type": "PlainText", "text": text}
    return {"version": "1.0", "response": {"outputSpeech": speech, "shouldEndSession": True}}
