/** Text made safe for HTML, for content and for quoted attributes. Names come from files that strangers wrote. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** JSON that may stand inside a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** A table that scrolls by itself where it is wider than the page, and says so there. */
export function scrollBox(label: string, table: string, kind = ''): string {
  return `<div class="wide"><p class="wider">The table is wider than the page: scroll it sideways \u2192</p><div class="scroll${kind === '' ? '' : ` ${kind}`}" tabindex="0" role="region" aria-label="${escapeHtml(label)}">${table}</div></div>`
}
