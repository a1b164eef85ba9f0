// A skill that misbehaves on demand, and answers through the callback.
const http = require('http');

const told = (text, kind = 'PlainText', end = true) => ({
  version: '1.0',
  response: {
    outputSpeech: { type: kind, [kind === 'PlainText' ? 'text' : 'ssml']: text },
    shouldEndSession: end,
  },
});

exports.handler = (event, context, callback) => {
  const { request } = event;
  const name = request.type === 'IntentRequest' ? request.intent.name : request.type;
  switch (name) {
    case 'RaiseAnErrorIntent': throw new RangeError('the drawer is empty');
    case 'NeverAnswerIntent': return;
    case 'PrintALotIntent':
      for (let number = 0; number < 2000; number += 1) console.log('{"id": 1, "response": {}}', number);
      process.stdout.write('no end of line');
      callback(null, told('Hello.', 'PlainText', false));
      return;
    case 'EndTheProcessIntent': process.exit(3); return;
    case 'ReturnASetIntent': { const round = {}; round.round = round; callback(null, round); return; }
    case 'ReturnNothingIntent': callback(null, undefined); return;
    case 'ReturnTextIntent': callback(null, 'hello'); return;
    case 'BreakTheMarkupIntent': callback(null, told('<speak>one & two <b></speak>', 'SSML')); return;
    case 'TalkTooLongIntent': callback(null, told('x'.repeat(8001))); return;
    case 'AskTheInternetIntent':
      http.get('http://nowhere.invalid/', () => callback(null, told('never')));
      return;
    case 'ThrowLaterIntent': setTimeout(() => { throw new Error('too late'); }, 20); return;
    case 'AnswerTwiceIntent':
      callback(null, told('First.', 'PlainText', false));
      callback(null, told('Second.', 'PlainText', false));
      return;
    case 'ReturnAHugeAnswerIntent':
      callback(null, { ...told('big'), sessionAttributes: { data: 'x'.repeat(200000) } });
      return;
    case 'DelegateForeverIntent':
      callback(null, { version: '1.0', response: { directives: [{ type: 'Dialog.Delegate' }] } });
      return;
    case 'WriteWithoutEndIntent': for (;;) process.stdout.write('x'.repeat(65536));
    default: callback(null, told('Hello.', 'PlainText', false));
  }
};
