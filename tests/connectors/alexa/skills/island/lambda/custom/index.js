// A treasure hunt with promises; it finds its words as Lambda lets it, without './'.
const words = require('words.js');

exports.handler = async (event) => {
  const { request, session } = event;
  const attributes = (session && session.attributes) || {};
  const say = (text, end) => ({
    version: '1.0',
    sessionAttributes: attributes,
    response: {
      outputSpeech: { type: 'SSML', ssml: `<speak>${text}</speak>` },
      ...(end === undefined ? {} : { shouldEndSession: end }),
    },
  });
  if (request.type === 'LaunchRequest') {
    return say(`<audio src="https://sound.example/sea.mp3"/> Ahoy! ${words.question}`, false);
  }
  if (request.type === 'SessionEndedRequest') return { version: '1.0', response: {} };
  switch (request.intent.name) {
    case 'DigIntent': {
      attributes.digs = (attributes.digs || 0) + 1;
      const { steps, side } = request.intent.slots;
      return say(`You dig ${steps.value || 'some'} steps to the ${side.value || 'left'}.`, false);
    }
    case 'CountIntent': return say(`You dug ${attributes.digs || 0} times &amp; found nothing.`, false);
    case 'WordIntent': return say(`<sub alias="pieces of eight">8</sub> ${Math.floor(Math.random() * 1e6)}`, false);
    case 'AMAZON.HelpIntent': return say('Say dig, and how far.', false);
    default: return say('Farewell, sailor.');
  }
};
