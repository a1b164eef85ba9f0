'use strict';
// Star Porch: what can be seen in the sky tonight, and stories to it.

const { PLANETS, STORIES, texts } = require('./sky');

exports.handler = async (event) => {
  const { request, session } = event;
  const say = texts(request.locale);
  if (request.type === 'LaunchRequest') {
    return ask(say.welcome, { log: [] });
  }
  if (request.type !== 'IntentRequest') {
    return { version: '1.0', response: {} };
  }
  const attributes = session.attributes || {};
  const intent = INTENTS[request.intent.name] || otherwise;
  return intent(request, attributes, say);
};

/** Says something, and listens. */
function ask(text, attributes, directives = []) {
  const response = respond(text, attributes);
  response.response.shouldEndSession = false;
  response.response.reprompt = { outputSpeech: { type: 'PlainText', text } };
  response.response.directives = directives;
  return response;
}

function respond(text, attributes) {
  return {
    version: '1.0',
    sessionAttributes: attributes,
    response: { outputSpeech: { type: 'PlainText', text } },
  };
}

function bye(text) {
  const response = respond(text, {});
  response.response.shouldEndSession = true;
  return response;
}

/** The dialog is led by the skill: it asks for the planet in its own words. */
function planet(request, attributes, say) {
  const slot = request.intent.slots.planet;
  if (!slot.value) {
    return ask(say.whichPlanet, attributes, [{ type: 'Dialog.ElicitSlot', slotToElicit: 'planet' }]);
  }
  const found = slot.resolutions.resolutionsPerAuthority[0].values[0].value;
  const seen = [...(attributes.seen || []), found.id];
  return ask(`${PLANETS[found.id]} ${say.more}`, { ...attributes, seen });
}

function tonight(request, attributes, say) {
  return respond(say.tonight, attributes);
}

function story(request, attributes, say) {
  const told = attributes.told || 0;
  const text = STORIES[told % STORIES.length];
  if (told + 1 < STORIES.length) {
    return ask(`${text} ${say.anotherStory}`, { ...attributes, told: told + 1, telling: true });
  }
  return respond(`${text} ${say.fromTheStart}`, attributes);
}

function saved(request, attributes, say) {
  const log = [...attributes.log, 'tonight'];
  return ask(say.saved.replace('{count}', log.length), { ...attributes, log });
}

function club(request, attributes, say) {
  return ask(say.askName, { ...attributes, joining: true });
}

function name(request, attributes, say) {
  if (!attributes.joining || !request.intent.slots.name.value) {
    return otherwise(request, attributes, say);
  }
  return ask(say.joined, { ...attributes, joining: false });
}

function yes(request, attributes, say) {
  return attributes.telling ? story(request, attributes, say) : otherwise(request, attributes, say);
}

function no(request, attributes, say) {
  return ask(say.noMore, { ...attributes, telling: false });
}

/** A story can be broken off; otherwise the skill is left. */
function stop(request, attributes, say) {
  if (attributes.telling) {
    return ask(say.noMore, { ...attributes, telling: false });
  }
  return bye(say.goodbye);
}

function help(request, attributes, say) {
  return ask(say.help, attributes);
}

function otherwise(request, attributes, say) {
  return ask(say.sorry, attributes);
}

const INTENTS = {
  PlanetIntent: planet,
  TonightIntent: tonight,
  StoryIntent: story,
  SaveIntent: saved,
  ClubIntent: club,
  NameIntent: name,
  'AMAZON.YesIntent': yes,
  'AMAZON.NoIntent': no,
  'AMAZON.HelpIntent': help,
  'AMAZON.StopIntent': stop,
  'AMAZON.CancelIntent': stop,
  'AMAZON.NavigateHomeIntent': stop,
};
