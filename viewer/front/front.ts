import { type FrontScene, frontScenes } from './scenes.ts'
import './front.css'

/** Moving pictures of the scenes, by `npm run pictures`. */
const thumbnails = import.meta.glob('./*.webp', { eager: true, query: '?url', import: 'default' }) as Record<string, string>

const element = (id: string) => document.getElementById(id) as HTMLElement

/** The choice of first scenes, and the words over the one that stands. */
export class Front {
  /** The scene whose words are shown; undefined as soon as the run is another. */
  shown: FrontScene | undefined
  private readonly story = element('story')

  /** @param open called for a scene that was chosen */
  constructor(open: (scene: FrontScene) => void) {
    this.story.querySelector('button')?.addEventListener('click', () => this.tell(undefined))
    element('gallery').append(
      ...frontScenes.map((scene) => {
        const button = document.createElement('button')
        const picture = document.createElement('img')
        Object.assign(button, { type: 'button', title: plain(scene.outcome), onclick: () => open(scene) })
        button.dataset.scene = scene.name
        Object.assign(picture, { src: thumbnails[`./${scene.name}.webp`], alt: '', width: 120, height: 80, decoding: 'async' })
        button.append(picture, scene.title)
        return button
      }),
    )
  }

  /** Says what a scene shows; nothing of another run. */
  tell(scene: FrontScene | undefined): void {
    this.shown = scene
    this.story.hidden = scene === undefined
    for (const button of element('gallery').children as unknown as HTMLElement[])
      button.ariaPressed = String(button.dataset.scene === scene?.name)
    if (scene === undefined) return
    this.story.querySelector('p')?.replaceChildren(
      ...`*${scene.title}.* ${scene.outcome}`.split('*').map((part, i) => {
        const piece = document.createElement(i % 2 === 0 ? 'span' : 'strong')
        piece.textContent = part
        return piece
      }),
    )
  }
}

const plain = (text: string) => text.replaceAll('*', '')
