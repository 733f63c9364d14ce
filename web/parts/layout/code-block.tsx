import type { ReactNode } from 'react'
import { t } from '../../text/i18n.ts'
import { CopyButton } from '../controls/copy-button.tsx'

export interface CodeBlockProps {
  /** What is copied, and what is shown when there are no children. */
  code: string
  /** Language name, shown as a label. */
  language?: string
  /** The highlighted code. */
  children?: ReactNode
  /** Long lines wrap instead of scrolling. */
  wrap?: boolean
  /** Buttons before the one that copies. */
  tools?: ReactNode
}

/** Code with its language and a copy button; scrolls sideways and is focusable, so that the keyboard can scroll it. */
export function CodeBlock({ code, language, children, wrap = false, tools }: CodeBlockProps) {
  return (
    <div className="border-line bg-sunken overflow-hidden rounded-lg border">
      <div className="border-line flex h-9 items-center justify-between border-b pr-1 pl-3">
        <span className="text-muted font-mono text-xs">{language ?? ''}</span>
        <span className="flex">
          {tools}
          <CopyButton text={code} label={t('code.copy')} />
        </span>
      </div>
      <pre
        tabIndex={0}
        aria-label={t('code.label')}
        className="max-h-96 overflow-auto px-3 py-2.5 text-sm focus-visible:outline-offset-[-2px]"
      >
        <code className={wrap ? 'break-words whitespace-pre-wrap' : undefined}>{children ?? code}</code>
      </pre>
    </div>
  )
}
