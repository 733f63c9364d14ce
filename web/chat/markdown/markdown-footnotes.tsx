import { createContext, type MouseEvent, type ReactNode, useContext } from 'react'
import { t } from '../../text/i18n.ts'
import type { FootnoteMark } from './markdown-lexer.ts'

/** The prefix of the ids of one text's notes, and the labels of its notes, all with a space between them. */
export const FootnoteScope = createContext('')

/** A mark that leads to its note. What merely looks like one, such as `[^a-z]`, is shown as it was written. */
export function FootnoteLink({ mark }: { readonly mark: FootnoteMark }) {
  const [prefix, ...labels] = useContext(FootnoteScope).split(' ')
  const { label, raw } = mark
  // The notes of an answer come last: until then a number is one.
  if (!/^\d{1,3}$/.test(label) && !labels.includes(label)) return raw
  const id = `${prefix}-note-${label}`
  // The address of the page stays as it is.
  const onClick = (event: MouseEvent): void => {
    event.preventDefault()
    const note = document.getElementById(id)
    note?.scrollIntoView({ block: 'nearest' })
    note?.focus({ preventScroll: true })
  }
  return (
    <sup>
      <a href={`#${id}`} aria-label={t('chat.footnote', { number: label })} onClick={onClick}>
        {label}
      </a>
    </sup>
  )
}

/** A note, where the text has it. */
export function FootnoteText({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const [prefix] = useContext(FootnoteScope).split(' ')
  return (
    <div className="markdown-footnote" id={`${prefix}-note-${label}`} tabIndex={-1}>
      <span>{label}.</span>
      <p>{children}</p>
    </div>
  )
}
