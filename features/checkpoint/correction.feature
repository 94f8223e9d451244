Feature: Correcting a decision
  When a decision turns out wrong, its plan goes back to just before it, or on with better guidance.

  Scenario: A correction service knows whether it has checkpoints
    Then the correction service has checkpoint support

  Scenario: A decision is reverted
    Given plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has a sandbox
    And the file "parser" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "before"
    And a captured checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" aligned with the decision "01DEC1S10N0000000000000000"
    And the file "parser" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "after"
    When I correct the decision "01DEC1S10N0000000000000000" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" by "revert": "use a table"
    Then the file "parser" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" holds "before"
    And the audit trail of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "revert: use a table"

  Scenario: Guidance is added to a decision
    Given plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has a sandbox
    And the file "parser" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "before"
    And a captured checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" aligned with the decision "01DEC1S10N0000000000000000"
    And the file "parser" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "after"
    When I correct the decision "01DEC1S10N0000000000000000" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" by "append": "add tests"
    Then the file "parser" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" holds "after"
    And the audit trail of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" reads "append: add tests"

  Scenario: A decision without a checkpoint points to the nearest earlier one
    Given a recorded checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-abc"
    When I correct the decision "unknown" of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" by "revert": "use a table"
    Then it fails with the code "CORRECTION_CHECKPOINT_MISSING" and names that checkpoint
