import { Check, Copy, type LucideIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from '../copy-text.ts'
import { t } from '../../text/i18n.ts'
import { announce } from '../feedback/announcer.tsx'
import { IconButton } from './icon-button.tsx'
import { toast } from '../feedback/toast.tsx'

export interface CopyButtonProps {
  /** The text, or a function that produces it on click. */
  text: string | (() => string)
  /** Default: "Copy". */
  label?: string
  size?: 'sm' | 'md'
  icon?: LucideIcon
}

/** Copies a text and confirms it for two seconds. */
export function CopyButton({ text, label = t('action.copy'), size = 'sm', icon = Copy }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (): Promise<void> => {
    const done = await copyText(typeof text === 'string' ? text : text())
    if (!done) return toast({ text: t('copy.failed'), tone: 'danger' })
    setCopied(true)
    announce(t('copy.done'))
  }
  return (
    <IconButton
      label={copied ? t('copy.done') : label}
      icon={copied ? Check : icon}
      size={size}
      onClick={() => void copy()}
    />
  )
}
