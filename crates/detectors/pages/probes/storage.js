// What may be kept, and where: frames of other sites are kept apart.

async function tried(fn) {
  try {
    return plain(await settled(fn()));
  } catch (error) {
    return `throws ${steady(error)}`;
  }
}

probe('storage', async () => ({
  local: await tried(() => {
    localStorage.setItem('own', '1');
    const kept = localStorage.getItem('own');
    localStorage.removeItem('own');
    return kept;
  }),
  session: await tried(() => sessionStorage.length),
  cookies: await tried(() => {
    document.cookie = 'own=1; SameSite=None; Secure';
    document.cookie = 'plain=1';
    const kept = document.cookie;
    document.cookie = 'own=; Max-Age=0; SameSite=None; Secure';
    document.cookie = 'plain=; Max-Age=0';
    return kept;
  }),
  indexed: await tried(() => new Promise((done, fail) => {
    const opened = indexedDB.open('own');
    opened.onsuccess = () => {
      opened.result.close();
      indexedDB.deleteDatabase('own');
      done('opened');
    };
    opened.onerror = () => fail(opened.error);
  })),
  caches: await tried(async () => (await caches.keys()).length),
  files: await tried(async () => (await navigator.storage.getDirectory()).kind),
  persisted: await tried(() => navigator.storage.persisted()),
  // A browser whose profile is not kept has little room.
  room: await tried(async () => {
    const {quota, usageDetails} = await navigator.storage.estimate();
    return [quota > 2 ** 30, typeof usageDetails];
  }),
  access: await tried(() => document.hasStorageAccess()),
  locks: await tried(async () => Object.keys(await navigator.locks.query())),
}));

probe('connections', async () => {
  const connection = new RTCPeerConnection();
  connection.createDataChannel('own');
  const offer = await connection.createOffer();
  const kinds = [];
  const over = new Promise((done) => connection.onicecandidate = ({candidate}) => {
    if (!candidate) return done(true);
    kinds.push([candidate.protocol, candidate.type, candidate.address?.endsWith('.local') ? 'hidden' : 'open'].join(' '));
  });
  await connection.setLocalDescription(offer);
  await settled(over, 2000);
  connection.close();
  const lines = offer.sdp.split('\r\n').map((line) => line.replace(/(ice-ufrag|ice-pwd|fingerprint):.*/, '$1').replace(/^o=.*/, 'o='));
  return {lines, kinds: [...new Set(kinds)].sort()};
}, {realms: ['main', 'cross-frame', 'popup']});
