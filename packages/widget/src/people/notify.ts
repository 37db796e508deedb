const MAX_CHARACTERS = 200;

/** Shows a message outside of the page, if the visitor has allowed it. Asks nothing. @param open called if it is chosen */
export function notify(tag: string | undefined, name: string, text: string, open: () => void): void {
  if (typeof Notification !== 'function' || Notification.permission !== 'granted') return;
  try {
    // Of several tabs with the same tag, the browser shows one.
    const notification = new Notification(name, { tag, body: text.slice(0, MAX_CHARACTERS) });
    notification.addEventListener('click', () => {
      focus();
      open();
    });
  } catch {
    // Some browsers show only those of service workers.
  }
}
