// Sound: computed offline, and what the output says.

async function sound() {
  const context = new OfflineAudioContext(1, 5000, 44100);
  const tone = new OscillatorNode(context, {type: 'triangle', frequency: 10000});
  const squeeze = new DynamicsCompressorNode(context, {threshold: -50, knee: 40, ratio: 12, attack: 0, release: 0.25});
  tone.connect(squeeze).connect(context.destination);
  tone.start();
  const samples = (await context.startRendering()).getChannelData(0);
  return samples.reduce((sum, value) => sum + Math.abs(value), 0);
}

probe('sound', sound, {realms: ['main', 'frame', 'cross-frame']});

probe('sound is not disturbed', async () => {
  const sums = [await sound(), await sound()];
  return {ok: sums[0] === sums[1], seen: sums};
}, {realms: ['main'], check: true});

probe('sound output', async () => {
  const context = new AudioContext();
  const seen = {
    rate: context.sampleRate,
    state: context.state,
    channels: [context.destination.channelCount, context.destination.maxChannelCount],
    latency: context.baseLatency,
    sink: plain(context.sinkId),
  };
  await settled(context.close());
  return seen;
}, {realms: ['main', 'popup']});
