import { useRouter } from '@tanstack/react-router'
import { Link2 } from 'lucide-react'
import type { Tokens } from 'marked'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { renderTokens } from '../chat/markdown/markdown-tokens.tsx'
import '../chat/markdown/markdown.css'
import { t } from '../text/i18n.ts'
import type { ChapterBlock } from './chapter.ts'
import { helpPicture } from './help-pictures.ts'
import './help.css'

interface HelpTextProps {
  readonly blocks: readonly ChapterBlock[]
  /** Target of a heading's own link; without it, headings have no links. */
  hrefOf?(id: string): string
}

/** A text of the guide: the Markdown of answers, plus linkable headings, pictures, and links that stay in the app. */
export function HelpText({ blocks, hrefOf }: HelpTextProps) {
  const router = useRouter()
  const follow = (event: MouseEvent): void => {
    const anchor = event.target instanceof Element ? event.target.closest('a') : null
    if (anchor === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    if (anchor.origin !== location.origin || /^\/(api|certificate)\//.test(anchor.pathname)) return
    event.preventDefault()
    router.history.push(`${anchor.pathname}${anchor.search}${anchor.hash}`)
  }
  return (
    // The links themselves are focused and activated; this handler only keeps our own links in the app.
    <div className="markdown help-text" onClick={follow}>
      {blocks.map((block, index) => (
        <HelpBlock key={index} block={block} hrefOf={hrefOf} />
      ))}
    </div>
  )
}

interface HelpBlockProps {
  readonly block: ChapterBlock
  readonly hrefOf: HelpTextProps['hrefOf']
}

function HelpBlock({ block: { token, heading }, hrefOf }: HelpBlockProps): ReactNode {
  if (heading !== undefined) {
    const Heading = heading.depth <= 2 ? 'h3' : 'h4'
    return (
      <Heading id={heading.id} tabIndex={-1}>
        {renderTokens((token as Tokens.Heading).tokens)}
        {hrefOf !== undefined && (
          <a
            href={hrefOf(heading.id)}
            aria-label={t('help.link_to', { heading: heading.text })}
            className="help-anchor"
          >
            <Link2 aria-hidden className="size-4" />
          </a>
        )}
      </Heading>
    )
  }
  const picture = pictureOf(token)
  if (picture === null) return renderTokens([token])
  return <Picture {...picture} />
}

interface HelpPicture {
  readonly light: string
  readonly dark: string
  readonly alt: string
}

/** A picture in the reader's theme; a click shows it at full size. */
function Picture({ light, dark, alt }: HelpPicture) {
  const dialog = useRef<HTMLDialogElement>(null)
  const images = (
    <>
      <img className="help-light" src={light} alt={alt} width={1280} height={800} loading="lazy" />
      <img className="help-dark" src={dark} alt={alt} width={1280} height={800} loading="lazy" />
    </>
  )
  return (
    <figure>
      <button
        type="button"
        aria-label={t('help.enlarge', { picture: alt })}
        className="block w-full cursor-zoom-in"
        onClick={() => dialog.current?.showModal()}
      >
        {images}
      </button>
      <dialog ref={dialog} aria-label={alt} className="help-picture" onClick={() => dialog.current?.close()}>
        <button type="button" autoFocus aria-label={t('dialog.close')} className="block cursor-zoom-out">
          {images}
        </button>
      </dialog>
    </figure>
  )
}

/** A paragraph with nothing but one of our pictures: `![What is seen](../../docs/screenshots/answer-light.png)`. */
function pictureOf(token: ChapterBlock['token']): HelpPicture | null {
  const only = token.type === 'paragraph' && token.tokens?.length === 1 ? token.tokens[0] : undefined
  if (only?.type !== 'image') return null
  const { href, text } = only as Tokens.Image
  const name = /docs\/screenshots\/([a-z-]+)-light\.png$/.exec(href)?.[1]
  const found = name === undefined ? null : helpPicture(name)
  return found && { ...found, alt: text }
}
