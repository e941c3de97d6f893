import type { ProjectBody } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { admin } from './admin.ts';

export const PROJECTS_KEY = ['projects'];

export function useProjects() {
  return useQuery({ queryKey: PROJECTS_KEY, queryFn: async () => (await admin.projects()).items });
}

export const ProjectContext = createContext<ProjectBody | undefined>(undefined);

/** The project of the address. */
export function useProject(): ProjectBody {
  const project = useContext(ProjectContext);
  if (!project) throw new Error('no project around this component');
  return project;
}

export function useService() {
  return useQuery({ queryKey: ['service'], queryFn: () => admin.service(), staleTime: 300_000 });
}
