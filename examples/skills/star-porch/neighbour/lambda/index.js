'use strict';
// Porch Star: somebody else's skill, which the user has enabled as well.

exports.handler = async () => ({
  version: '1.0',
  response: {
    outputSpeech: { type: 'PlainText', text: 'Welcome to Porch Star, songs that were sung on porches. Goodbye!' },
    shouldEndSession: true,
  },
});
