// @world isolated
// @realms page
// Waits until the browser process has told this document where its window is. Chromium does that when it
// shows the document, which is a race with the first script. Measured on Chromium 156, Debian 12, raw
// client: outerWidth was 0 in 13 of 73 first scripts on a busy machine, and in 0 of 91 with this script.
// Registering a blob asks that process in the channel that told it of the document, and waits for the
// answer, so the place of the window is there before it. It takes 1 to 5 ms. A page sees nothing of it.
if (!outerWidth && !document.prerendering) URL.revokeObjectURL(URL.createObjectURL(new Blob()));
