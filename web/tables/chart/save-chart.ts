import { HEIGHT } from './chart-look.ts'
import { saveFile } from '../export/save-file.ts'

/** The theme's colours in a saved image: always those for a white background. */
const PAPER: Readonly<Record<string, string>> = {
  'var(--ink)': '#1f2430',
  'var(--muted)': '#596072',
  'var(--line)': '#e1e4ea',
  'var(--surface)': '#ffffff',
}
/** Pixels of a saved image per screen pixel. */
const SHARPNESS = 2

export function saveSvg(svg: SVGSVGElement, name: string): void {
  saveFile(`${fileName(name)}.svg`, new Blob([svgText(svg)], { type: 'image/svg+xml' }))
}

/** @throws {Error} when the browser cannot paint it. */
export async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const address = URL.createObjectURL(new Blob([svgText(svg)], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = svg.clientWidth * SHARPNESS
    canvas.height = HEIGHT * SHARPNESS
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const bytes = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (bytes === null) throw new Error('The browser gave no picture.')
    saveFile(`${fileName(name)}.png`, bytes)
  } finally {
    URL.revokeObjectURL(address)
  }
}

function svgText(svg: SVGSVGElement): string {
  const clone = svg.cloneNode(true) as SVGSVGElement
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  paper.setAttribute('width', '100%')
  paper.setAttribute('height', '100%')
  paper.setAttribute('fill', PAPER['var(--surface)']!)
  clone.prepend(paper)
  const text = new XMLSerializer().serializeToString(clone)
  return Object.entries(PAPER).reduce((before, [variable, color]) => before.replaceAll(variable, color), text)
}

function fileName(name: string): string {
  return name.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_').slice(0, 120) || 'chart'
}
