// The same by the context, as the oldest skills do it.
exports.handler = function handler(event, context) {
  if (event.request.type === 'IntentRequest' && event.request.intent.name === 'RaiseAnErrorIntent') {
    context.fail(new RangeError('the drawer is empty'));
  } else {
    context.succeed({
      version: '1.0',
      response: { outputSpeech: { type: 'PlainText', text: 'Hello from the past.' }, shouldEndSession: false },
    });
  }
};
