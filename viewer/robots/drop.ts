import { filesOfDrop } from './robotFiles.ts'

/** A file with its path inside the drop. */
export interface DroppedFile {
  readonly path: string
  readonly file: File
}

/** Hands on files dropped anywhere on the page, or chosen by its two file fields. */
export function acceptFiles(take: (files: Promise<readonly DroppedFile[]>) => void): void {
  const element = (id: string) => document.getElementById(id) as HTMLElement
  for (const id of ['files', 'folder']) {
    const input = element(id) as HTMLInputElement
    input.onchange = () => {
      take(Promise.resolve([...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }))))
      input.value = ''
    }
  }
  const hint = element('drop')
  addEventListener('dragover', (event) => {
    event.preventDefault()
    hint.hidden = !event.dataTransfer?.types.includes('Files')
  })
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) hint.hidden = true
  })
  addEventListener('drop', (event) => {
    event.preventDefault()
    hint.hidden = true
    if (event.dataTransfer) take(filesOfDrop(event.dataTransfer.items))
  })
}

/** Why files without anything to run cannot be shown, and where they open. */
export function nothingAmong(paths: readonly string[]): string {
  const has = (pattern: RegExp) => paths.find((path) => pattern.test(path))
  const report = has(/\.html?$/)
  if (report) return `${report} is a page of its own; open it in the browser.`
  const results = has(/\.(json|csv)$/)
  if (results)
    return `${results} looks like results or tables: results stand in the report.html beside them, and runs are played from .mcap.`
  return 'There is no robot (.urdf, .xacro, .xml, .sdf), scenario (.yaml) or controller (.ts, .js, .onnx) or recording (.mcap) among them.'
}
