export {
  type ApiKeyWish,
  newApiKey,
  newOrganization,
  type OrganizationWish,
  randomId,
} from '../http/dashboard/new-tenants'
