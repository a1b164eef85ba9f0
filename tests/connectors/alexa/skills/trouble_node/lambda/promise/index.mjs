// The same by an ES module and a promise.
export const handler = async (event) => {
  if (event.request.type === 'IntentRequest' && event.request.intent.name === 'RaiseAnErrorIntent') {
    throw new RangeError('the drawer is empty');
  }
  return {
    version: '1.0',
    response: { outputSpeech: { type: 'PlainText', text: 'Hello from a module.' }, shouldEndSession: false },
  };
};
