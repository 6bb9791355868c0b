export {
  type ApiKeyWish,
  newApiKey,
  newOrganization,
  type OrganizationWish,
} from '../http/dashboard/new-tenants'
