import { Circle, CircleCheck, CircleDot, Info, OctagonAlert, TriangleAlert, type LucideIcon } from 'lucide-react'

/** What a state means to the reader. Each tone has an icon as well as a colour. */
export type Tone = 'neutral' | 'active' | 'ok' | 'warn' | 'danger' | 'info'

export const TONES: Record<Tone, { icon: LucideIcon; text: string; soft: string; edge: string }> = {
  neutral: { icon: Circle, text: 'text-muted', soft: 'bg-sunken', edge: 'border-line' },
  active: { icon: CircleDot, text: 'text-accent', soft: 'bg-accent-soft', edge: 'border-accent/30' },
  ok: { icon: CircleCheck, text: 'text-ok', soft: 'bg-ok-soft', edge: 'border-ok/30' },
  warn: { icon: TriangleAlert, text: 'text-warn', soft: 'bg-warn-soft', edge: 'border-warn/35' },
  danger: { icon: OctagonAlert, text: 'text-danger', soft: 'bg-danger-soft', edge: 'border-danger/30' },
  info: { icon: Info, text: 'text-info', soft: 'bg-info-soft', edge: 'border-info/30' },
}
