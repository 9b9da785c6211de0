// The frame of the other site: sets and reads a cookie that is partitioned by the site around it.
onmessage = ({ data: { put, get, value }, ports: [port] }) => {
  if (put) document.cookie = `${put}=${value}; path=/; max-age=86400; secure; samesite=none; partitioned`;
  const name = put ?? get;
  port.postMessage(document.cookie.split('; ').find((it) => it.startsWith(`${name}=`))?.split('=')[1] ?? null);
};
