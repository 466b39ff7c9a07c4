import { createHash } from 'node:crypto'
import { escapeHtml } from './html.ts'
import { style as reportStyle } from './style.ts'

interface Page {
  readonly title: string
  readonly description?: string
  /** As HTML. */
  readonly body: string
  readonly script?: string
  /** In place of that of reports. */
  readonly style?: string
  /** After it. */
  readonly ownStyle?: string
}

/** A page that loads nothing and runs its own script alone. */
export function page({ title, description = title, body, script, style = reportStyle, ownStyle = '' }: Page): string {
  const allowed = script === undefined ? "'none'" : `'sha256-${createHash('sha256').update(script).digest('base64')}'`
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src ${allowed}; img-src data:">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="data:,">
<style>${style}${ownStyle}</style>
</head>
<body>
${body}
${script === undefined ? '' : `<script>${script}</script>`}
</body>
</html>
`
}
