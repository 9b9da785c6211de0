// Voices, and recognition of speech.

probe('voices', async () => {
  const list = () => speechSynthesis.getVoices().map(({name, lang, localService, default: first}) => [name, lang, localService, first].join(' '));
  if (list().length === 0) await settled(new Promise((done) => speechSynthesis.onvoiceschanged = () => done(true)), 500);
  speechSynthesis.onvoiceschanged = null;
  return {voices: list(), pending: [speechSynthesis.pending, speechSynthesis.speaking, speechSynthesis.paused]};
}, {realms: ['main', 'frame', 'popup']});

probe('speech recognition', () => [typeof webkitSpeechRecognition, typeof SpeechRecognition, values(new webkitSpeechRecognition(), ['grammars'])], {realms: ['main']});
