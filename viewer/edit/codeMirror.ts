import { isolateHistory } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { xml } from '@codemirror/lang-xml'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import type { Problem } from './texts.ts'

/** Colours are the page's custom properties, so that both themes have theirs. */
const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.tagName, tags.definition(tags.propertyName)], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.meta], color: 'var(--quiet)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--code-name)' },
])
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--panel)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--page)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-panels, .cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--panel)', border: '1px solid var(--line)' },
})

const languageOf = (path: string) =>
  /\.ya?ml$|\.json$/i.test(path) ? yaml() : /\.[cm]?[jt]s$/i.test(path) ? javascript({ typescript: true }) : xml()

export interface CodeEvents {
  changed(): void
  run(): void
  leave(): void
}

/** CodeMirror in a shadow tree, where its style sheets are not forbidden by the page's security policy. */
export class Code {
  private readonly view: EditorView
  private readonly events: CodeEvents
  /** Texts with their history and selection, by path. */
  private readonly states = new Map<string, EditorState>()
  private path = ''

  constructor(host: HTMLElement, events: CodeEvents) {
    this.events = events
    const root = host.attachShadow({ mode: 'open' })
    const parent = document.createElement('div')
    parent.style.height = '100%'
    root.append(parent)
    this.view = new EditorView({ root, parent })
    // keys that one types are not the page's
    host.addEventListener('keydown', (event) => {
      if (!/^F\d$/.test(event.key)) event.stopPropagation()
    })
  }

  /** @param text of a file that was not shown before */
  show(path: string, text: string): void {
    if (this.path !== '') this.states.set(this.path, this.view.state)
    this.path = path
    this.view.setState(this.states.get(path) ?? this.stateOf(path, text))
  }

  textOf(path: string): string | undefined {
    return (path === this.path ? this.view.state : this.states.get(path))?.doc.toString()
  }

  /** Replaces the text that is shown, as one edit that can be undone. */
  replace(text: string): void {
    const changes = { from: 0, to: this.view.state.doc.length, insert: text }
    this.view.dispatch({ changes, annotations: isolateHistory.of('full') })
  }

  forget(): void {
    this.states.clear()
    this.path = ''
  }

  /** Marks lines of the text that is shown. */
  mark(problems: readonly Problem[]): void {
    const { state } = this.view
    const marks = problems.flatMap(({ line, severity, message }): Diagnostic[] => {
      if (line < 1 || line > state.doc.lines) return []
      const { from, to } = state.doc.line(line)
      return [{ from, to, severity, message }]
    })
    this.view.dispatch(setDiagnostics(state, marks))
  }

  goTo(line: number): void {
    const { doc } = this.view.state
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)))
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
    this.view.focus()
  }

  focus(): void {
    this.view.focus()
  }

  private stateOf(path: string, doc: string): EditorState {
    const { events } = this
    const own = keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          events.run()
          return true
        },
      },
    ])
    const leaving = keymap.of([
      {
        key: 'Escape',
        run: () => {
          events.leave()
          return true
        },
      },
    ])
    return EditorState.create({
      doc,
      extensions: [
        Prec.highest(own),
        basicSetup,
        Prec.lowest(leaving),
        languageOf(path),
        lintGutter(),
        look,
        syntaxHighlighting(highlighting),
        EditorView.contentAttributes.of({ 'aria-label': `Text of ${path}` }),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged) events.changed()
        }),
      ],
    })
  }
}
