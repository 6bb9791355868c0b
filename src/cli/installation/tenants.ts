export {
  type ApiKeyWish,
  newApiKey,
  newInvitationLink,
  newOrganization,
  type OrganizationWish,
  randomId,
} from '../../http/dashboard/new-tenants'
