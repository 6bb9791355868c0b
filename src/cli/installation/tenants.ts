export {
  newApiKey,
  newInvitationLink,
  newOrganization,
  type RequestedApiKey,
  type RequestedOrganization,
  randomId,
} from '../../http/dashboard/new-tenants'
