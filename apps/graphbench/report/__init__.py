# SPDX-License-Identifier: Apache-2.0
"""Reports, in forms that show one document."""
