import { z } from 'zod'
import { ELEVATION_LIMITS } from './elevation-limits.ts'
import { ApprovalNeed, Vote } from './messages.ts'
import { json, optionalJson, route } from './route.ts'
import { Approvers } from './rule-conditions.ts'
import { Id, Ok, Timestamp } from './values.ts'

/** That a role may be taken for a while: who must agree, and for how long at most. */
export const Elevatable = z.strictObject({
  approvers: z.array(Approvers).min(1).max(ELEVATION_LIMITS.approvers),
  max_minutes: z.int().min(1).max(ELEVATION_LIMITS.minutes),
})
export type Elevatable = z.infer<typeof Elevatable>

/** The role that the caller has for a while, as the frame of the pages shows it. */
export const ElevationNow = z.strictObject({
  elevation_id: Id,
  role: z.string(),
  own_role: z.string(),
  ends_at: Timestamp,
})
export type ElevationNow = z.infer<typeof ElevationNow>

/**
 * `requested` → `active`, `denied` (by one person), `expired` (nobody decided in time) or `ended` (withdrawn);
 * `active` → `ended`.
 */
export const ElevationStatus = z.enum(['requested', 'active', 'denied', 'expired', 'ended'])

/** A request to have a role for a while, and what became of it. */
export const Elevation = z.strictObject({
  elevation_id: Id,
  status: ElevationStatus,
  asked_by: z.strictObject({ username: z.string(), name: z.string(), role: z.string() }),
  /** It is the caller's. */
  own: z.boolean(),
  role_id: Id,
  role: z.string(),
  minutes: z.int(),
  reason: z.string(),
  needs: z.array(ApprovalNeed),
  votes: z.array(Vote),
  /** What the caller has said; null while nothing. */
  my_vote: z.enum(['approve', 'deny']).nullable(),
  /** What the caller may say now. */
  decisions: z.array(z.enum(['approve', 'deny'])),
  /** Whether the caller may end it now: whose it is, and administrators. */
  may_end: z.boolean(),
  requested_at: Timestamp,
  started_at: Timestamp.nullable(),
  /** While requested: when the request lapses; from the start on: when the own role is back. */
  ends_at: Timestamp,
  closed_at: Timestamp.nullable(),
  /** Username; null where time, or a change of user or role, has closed it. */
  closed_by: z.string().nullable(),
})
export type Elevation = z.infer<typeof Elevation>

/** A role that the caller may ask for. */
export const ElevatableRole = z.strictObject({
  role_id: Id,
  role: z.string(),
  max_minutes: z.int(),
  needs: z.array(ApprovalNeed.omit({ given: true })),
})
export type ElevatableRole = z.infer<typeof ElevatableRole>

const params = z.object({ elevation_id: Id })

/** Having another role for a while, if others agree. */
export const elevations = {
  listElevations: route({
    method: 'GET',
    path: '/api/elevations',
    summary:
      'Roles that I may ask for, my requests, and those of others that I may vote on, have voted on, or may end; the newest 50 each',
    access: 'session',
    sessionOnly: true,
    response: json(z.strictObject({ items: z.array(Elevation), roles: z.array(ElevatableRole) })),
    errors: [],
  }),
  requestElevation: route({
    method: 'POST',
    path: '/api/elevations',
    summary: 'Ask for a role for a while. It replaces mine in this browser and in others, not for access tokens',
    access: 'session',
    sessionOnly: true,
    body: json(
      z.strictObject({
        role_id: Id,
        minutes: z.int().min(1).max(ELEVATION_LIMITS.minutes),
        reason: z.string().trim().min(1).max(ELEVATION_LIMITS.reason),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, elevation: Elevation })),
    errors: ['unknown_role', 'elevation_open'],
  }),
  voteOnElevation: route({
    method: 'POST',
    path: '/api/elevations/{elevation_id}/votes',
    summary:
      'Agree that somebody has a role for a while, or deny it. It begins once everybody who is needed has agreed',
    access: 'session',
    sessionOnly: true,
    params,
    body: json(z.strictObject({ decision: z.enum(['approve', 'deny']), reason: z.string().max(1000).optional() })),
    response: json(z.strictObject({ ok: Ok, elevation: Elevation })),
    errors: ['not_found', 'already_decided', 'approval_expired', 'approval_closed'],
  }),
  endElevation: route({
    method: 'POST',
    path: '/api/elevations/{elevation_id}/end',
    summary: 'Give a role back before its time, or withdraw the request; administrators end those of others, too',
    access: 'session',
    sessionOnly: true,
    params,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, elevation: Elevation })),
    errors: ['not_found'],
  }),
}
