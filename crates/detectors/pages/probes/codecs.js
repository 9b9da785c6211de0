// What can be played, recorded, decoded and sent.

const TYPES = ['video/mp4; codecs="avc1.42E01E"', 'video/mp4; codecs="avc1.640028, mp4a.40.2"', 'video/mp4; codecs="hvc1.1.6.L93.B0"', 'video/mp4; codecs="av01.0.05M.08"',
  'video/mp4; codecs="vp09.00.10.08"', 'video/webm; codecs="vp8, vorbis"', 'video/webm; codecs="vp9, opus"', 'video/webm; codecs="av01.0.05M.08"', 'video/ogg; codecs="theora"',
  'video/x-matroska; codecs="avc1"', 'video/mp2t', 'video/quicktime', 'application/vnd.apple.mpegurl', 'audio/mpeg', 'audio/mp4; codecs="mp4a.40.2"', 'audio/mp4; codecs="ac-3"',
  'audio/mp4; codecs="ec-3"', 'audio/mp4; codecs="flac"', 'audio/aac', 'audio/ogg; codecs="vorbis"', 'audio/ogg; codecs="opus"', 'audio/wav; codecs="1"', 'audio/webm; codecs="opus"', 'audio/flac', 'audio/x-m4a'];

const each = (list, ask) => Object.fromEntries(list.map((key) => [key, ask(key)]));

probe('media types', () => {
  const video = document.createElement('video');
  return {
    play: each(TYPES, (type) => video.canPlayType(type)),
    source: each(TYPES, (type) => MediaSource.isTypeSupported(type)),
    record: each(TYPES, (type) => MediaRecorder.isTypeSupported(type)),
  };
}, {realms: ['document']});

probe('media capabilities', async () => {
  const said = {};
  for (const type of TYPES) {
    const media = type.startsWith('audio')
      ? {audio: {contentType: type, channels: '2', bitrate: 128000, samplerate: 44100}}
      : {video: {contentType: type, width: 1280, height: 720, bitrate: 2000000, framerate: 30}};
    const info = await settled(navigator.mediaCapabilities.decodingInfo({type: 'file', ...media}));
    said[type] = info.supported === undefined ? info : [info.supported, info.smooth, info.powerEfficient];
  }
  return said;
}, {realms: ['main', 'frame', 'dedicated']});

probe('decoders', async () => {
  const supported = async (decoder, list, more) => {
    const said = {};
    for (const codec of list) {
      const answer = await settled(decoder.isConfigSupported({codec, ...more}));
      said[codec] = answer.supported ?? answer;
    }
    return said;
  };
  return {
    video: await supported(VideoDecoder, ['avc1.42E01E', 'hvc1.1.6.L93.B0', 'vp8', 'vp09.00.10.08', 'av01.0.05M.08'], {}),
    encode: await supported(VideoEncoder, ['avc1.42E01E', 'vp8', 'vp09.00.10.08', 'av01.0.05M.08'], {width: 640, height: 480}),
    audio: await supported(AudioDecoder, ['mp4a.40.2', 'mp3', 'opus', 'flac', 'vorbis'], {sampleRate: 44100, numberOfChannels: 2}),
    image: Object.fromEntries(await Promise.all(['image/png', 'image/avif', 'image/webp', 'image/jxl', 'image/heic'].map(async (type) => [type, await ImageDecoder.isTypeSupported(type)]))),
  };
}, {realms: ['main', 'dedicated']});

probe('call codecs', () => {
  const list = (side, kind) => side.getCapabilities(kind).codecs.map(({mimeType, clockRate, channels, sdpFmtpLine}) => [mimeType, clockRate, channels, sdpFmtpLine].join(' '));
  const extensions = (kind) => RTCRtpSender.getCapabilities(kind).headerExtensions.map(({uri}) => uri);
  return {
    send: [list(RTCRtpSender, 'video'), list(RTCRtpSender, 'audio')],
    receive: [list(RTCRtpReceiver, 'video'), list(RTCRtpReceiver, 'audio')],
    extensions: [extensions('video'), extensions('audio')],
  };
}, {realms: ['main', 'cross-frame', 'popup']});

probe('key systems', async () => {
  const said = {};
  for (const system of ['org.w3.clearkey', 'com.widevine.alpha', 'com.microsoft.playready']) {
    const wanted = [{initDataTypes: ['cenc', 'webm'], videoCapabilities: [{contentType: 'video/webm; codecs="vp9"'}]}];
    const access = await settled(navigator.requestMediaKeySystemAccess(system, wanted));
    said[system] = access.keySystem ?? access;
  }
  return said;
}, {realms: ['main', 'popup']});
