import type { ComponentType } from 'react'
import { CertificatesSection } from './certificates-section.tsx'
import { ChangesSection } from './changes-section.tsx'
import { DisksSection } from './disks-section.tsx'
import type { HostSectionProps } from './host-section.ts'
import { JournalSection } from './journal-section.tsx'
import { PackagesSection } from './packages-section.tsx'
import { ServicesSection } from './services-section.tsx'
import { TimersSection } from './timers-section.tsx'
import { ToolsSection } from './tools-section.tsx'
import { UsersSection } from './users-section.tsx'

/** By the id of their tab. One chunk, loaded with the first of them: each alone would be a few hundred bytes. */
const CONTENT: Readonly<Record<string, ComponentType<HostSectionProps>>> = {
  services: ServicesSection,
  packages: PackagesSection,
  disks: DisksSection,
  journal: JournalSection,
  users: UsersSection,
  timers: TimersSection,
  certificates: CertificatesSection,
  changes: ChangesSection,
  tools: ToolsSection,
}

/** What is in one of the sections of a machine's page. */
export function SectionContent({ id, host }: HostSectionProps & { readonly id: string }) {
  const Content = CONTENT[id]
  return Content !== undefined && <Content host={host} />
}
