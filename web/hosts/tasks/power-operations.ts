import { Power, PowerOff, RotateCw } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import type { Operation, OperationField } from './operation.ts'

/** Restarting and switching off a machine, and calling it off. */
export function powerOperations(name: string): readonly Operation[] {
  const minutes: OperationField = { name: 'minutes', label: t('hosts.power_minutes'), kind: 'number', initial: '1' }
  const one = (action: 'reboot' | 'off' | 'cancel', icon: Operation['icon'], fields?: readonly OperationField[]) => ({
    label: t(`hosts.power_${action}`),
    title: `${t(`hosts.power_${action}`)}: ${name}`,
    icon,
    tool: 'power',
    args: { action },
    danger: action !== 'cancel',
    ...(fields && { fields }),
  })
  return [one('reboot', RotateCw, [minutes]), one('off', PowerOff, [minutes]), one('cancel', Power)]
}
